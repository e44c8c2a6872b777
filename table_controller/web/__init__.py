"""The screens: routes, what a viewer may see, and the pages themselves."""
