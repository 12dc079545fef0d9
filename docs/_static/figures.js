// Draws the figures of a page: each is JSON in a script element, its place is the element before it.
document.addEventListener("DOMContentLoaded", async () => {
  for (const item of document.querySelectorAll("script.bokeh-item")) {
    const place = item.previousElementSibling;
    const picture = place.previousElementSibling;
    try {
      await Bokeh.embed.embed_item(JSON.parse(item.textContent), place.id);
      const still = picture && (picture.matches("img.bokeh-picture") ? picture : picture.querySelector("img.bokeh-picture"));
      if (still) still.classList.add("drawn");
    } catch (error) {
      console.error(error);
    }
  }
});
