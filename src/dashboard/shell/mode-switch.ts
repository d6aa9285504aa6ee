/** Switches between live and test mode, away from what belongs to one of them: a link, or a place in the list of links. */
import { useLocation, useSearch } from "wouter";

import type { Mode } from "../../core/account.ts";
import { leavePage } from "../components/leaving-guard.ts";
import { useMode } from "../mode.ts";

export function useModeSwitch(): (mode: Mode) => void {
  const { setMode } = useMode();
  const [path, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  return (mode) =>
    leavePage(() => {
      if (path.startsWith("/links/")) navigate("/links");
      if (path === "/links" && params.has("after")) {
        for (const name of ["after", "first"]) params.delete(name);
        navigate(`/links?${params}`, { replace: true });
      }
      setMode(mode);
    });
}
