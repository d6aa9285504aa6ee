/** Whether an element has come into view, or close to it, so that its data is needed. */
import { useIntersection } from "@mantine/hooks";
import { useState } from "react";

/** Data just below the window is loaded ahead. */
const VIEW_MARGIN = "200px";

export function useSeen<T extends HTMLElement>() {
  const { ref, entry } = useIntersection<T>({ rootMargin: VIEW_MARGIN });
  const [wasSeen, setWasSeen] = useState(false);
  if (entry?.isIntersecting && !wasSeen) setWasSeen(true);
  return { ref, wasSeen };
}
