(() => {
  const root = document.documentElement;
  const button = document.getElementById("scheme");
  const darkByDefault = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.scheme || (darkByDefault.matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Show in ${isDark() ? "light" : "dark"} colours`); };
  // What a browser refuses to remember is chosen anew.
  const remembered = (value) => { try { return value ? localStorage.setItem("scheme", value) : localStorage.getItem("scheme"); } catch { return null; } };
  if (remembered()) root.dataset.scheme = remembered();
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.scheme = isDark() ? "light" : "dark"; remembered(root.dataset.scheme); name(); });
  darkByDefault.addEventListener("change", name);
  name();

  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let details = target && target.closest("details");
    if (!details) return;
    for (; details; details = details.parentElement.closest("details")) details.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  const draw = (chart) => {
    const spec = JSON.parse(chart.nextElementSibling.textContent);
    const made = document.createElement("div");
    made.style.width = `${chart.clientWidth}px`;
    // The picture has one text, its label.
    made.ariaHidden = "true";
    // The static picture stays until the other one is whole.
    vegaEmbed(made, { ...spec, width: chart.clientWidth }, { actions: false, renderer: "svg", ast: false })
      .then(() => { chart.replaceChildren(made); made.style.width = ""; });
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); }
  }, { rootMargin: "400px" });
  document.querySelectorAll(".chart").forEach((chart) => seen.observe(chart));
})();
