/** Whether an element has come into view, or near it: what it shows is read then. */
import { useIntersection } from "@mantine/hooks";
import { useState } from "react";

/** What lies just below the window is read ahead. */
const VIEW_MARGIN = "200px";

export function useSeen<T extends HTMLElement>() {
  const { ref, entry } = useIntersection<T>({ rootMargin: VIEW_MARGIN });
  const [wasSeen, setWasSeen] = useState(false);
  if (entry?.isIntersecting && !wasSeen) setWasSeen(true);
  return { ref, wasSeen };
}
