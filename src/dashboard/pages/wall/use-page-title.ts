/** The title of the window. */
import { useEffect } from "react";

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Hoplink`;
  }, [title]);
}
