// Tiles as pictures: notation -> SVG, inside an SVG drawing or in a page.

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const RATIO = 4 / 3; // a tile is that much longer than wide

// A tile lying at its upper left corner (0, 0), `width` wide.
export function tile(label, width, { marks = "", title = "" } = {}) {
  const height = width * RATIO;
  const isBack = label === "bk" || label === null;
  const inset = width * 0.07;
  const group = svg(
    "g",
    { class: `tile ${marks}`.trim() },
    svg("rect", {
      class: isBack ? "tile-back" : "tile-body",
      width,
      height,
      rx: width * 0.12,
    }),
  );
  if (!isBack) {
    group.append(
      svg("image", {
        href: `/static/tiles/${label}.svg`,
        x: inset,
        y: inset * 1.2,
        width: width - 2 * inset,
        height: height - 2.4 * inset,
        preserveAspectRatio: "xMidYMid meet",
      }),
    );
    if (label[0] === "0") {
      // Red fives carry a mark besides the colour, for eyes that do not tell red.
      group.append(
        svg("circle", { class: "red-mark", cx: width * 0.82, cy: height * 0.12, r: width * 0.09 }),
      );
    }
  }
  if (title) group.append(svg("title", {}, title));
  return group;
}

// The same tile turned a quarter to the left, again with its corner at (0, 0).
export function sideways(label, width, options) {
  const turned = tile(label, width, options);
  turned.setAttribute("transform", `translate(0 ${width}) rotate(-90)`);
  return svg("g", {}, turned);
}

// One tile as a picture in the running text.
export function picture(label, { marks = "", title = "" } = {}) {
  const drawing = svg("svg", { viewBox: "-1 -1 32 42", class: "tile-picture", role: "img" });
  drawing.append(tile(label, 30, { marks, title: title || label }));
  return drawing;
}
