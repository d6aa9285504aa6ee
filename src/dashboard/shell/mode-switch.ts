/** Switches between live and test mode, and leaves what exists in one mode only: a link, or a place in the list. */
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
