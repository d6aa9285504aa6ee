/** Marks the section that is being read in the table of contents. */
export function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#contents a")];
  const sections = links.flatMap((link) => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return target ? [{ link, target }] : [];
  });
  if (sections.length === 0) return;
  let current: HTMLAnchorElement | undefined;
  const update = () => {
    const line = innerHeight / 4;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = sections.filter(({ target }) => target.getBoundingClientRect().top <= line);
    const next = (atEnd ? sections : passed).at(-1)?.link ?? sections[0]?.link;
    if (next === current) return;
    current?.removeAttribute("aria-current");
    next?.setAttribute("aria-current", "location");
    current = next;
    // Not scrollIntoView, which would move the page too.
    const list = next?.closest("nav");
    if (next && list) list.scrollTop = next.offsetTop - list.clientHeight / 2;
  };
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      update();
    });
  };
  addEventListener("scroll", schedule, { passive: true });
  addEventListener("resize", schedule);
  update();
}
