"""Pictures of the table -> what lies where, with string labels and honest confidence."""
