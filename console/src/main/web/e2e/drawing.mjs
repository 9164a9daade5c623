/** How many different colours a drawing has. */
export function drawnColors(canvas) {
  return canvas.evaluate((element) => {
    // A copy: reading the canvas itself makes the browser warn of what the page does not do.
    const copy = new OffscreenCanvas(element.width, element.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(element, 0, 0);
    const { data } = copy.getImageData(0, 0, element.width, element.height);
    const counts = new Map();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) {
        const color = data[at] + ',' + data[at + 1] + ',' + data[at + 2];
        counts.set(color, (counts.get(color) ?? 0) + 1);
      }
    }
    return [...counts.values()].filter((count) => count > 20).length;
  });
}
