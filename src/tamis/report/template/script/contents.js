// Inside the app nobody types commands.
if (window.self !== window.top) document.documentElement.classList.add("embedded");

// Contents: the section in view is marked, a link opens the section that it leads to, one button folds them all.
{
  const folds = [...document.querySelectorAll(".fold")], button = document.getElementById("fold-all");
  const links = [...document.querySelectorAll("nav a")];
  const open = () => {
    const section = location.hash && document.getElementById(location.hash.slice(1));
    const fold = section && (section.querySelector(":scope > .fold") ?? section.closest(".fold"));
    if (fold && !fold.open) { fold.open = true; section.scrollIntoView(); }
  };
  if (button && folds.length) {
    const named = () => { button.textContent = folds.some((fold) => fold.open) ? "Fold all" : "Unfold all"; };
    button.addEventListener("click", () => {
      const opened = !folds.some((fold) => fold.open);
      for (const fold of folds) fold.open = opened;
      named();
    });
    for (const fold of folds) fold.addEventListener("toggle", named);
    button.hidden = false;
  }
  const inView = new Set();
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) inView[isIntersecting ? "add" : "delete"](target.id);
    const now = links.findLast((link) => inView.has(link.hash.slice(1)));
    for (const link of links) link.toggleAttribute("aria-current", link === now);
  }, { rootMargin: "0px 0px -60% 0px" });
  for (const link of links) {
    const section = document.querySelector(link.hash);
    if (section) watch.observe(section);
    link.addEventListener("click", () => setTimeout(open));
  }
  addEventListener("hashchange", open);
  let folded = []; // paper shows everything
  addEventListener("beforeprint", () => { folded = folds.filter((fold) => !fold.open); for (const fold of folded) fold.open = true; });
  addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });
  open();
}
