/**
 * The mode, live or test: chosen in the header, stored in the browser, and sent with every request. It is part of every
 * query key, so that no page shows cached data of the other mode.
 */
import { useLocalStorage } from "@mantine/hooks";
import { createContext, createElement, type ReactNode, use } from "react";
import { useLocation, useSearch } from "wouter";

import type { Mode } from "../core/account.ts";
import { leavePage } from "./components/leaving-guard.ts";
import { MODE_STORAGE_KEY, parseMode } from "./early-loads.ts";

const ModeContext = createContext({ mode: "live" as Mode, setMode: (_mode: Mode) => {} });

export function ModeProvider({ children }: { children: ReactNode }) {
  const [mode, setMode] = useLocalStorage<Mode>({
    key: MODE_STORAGE_KEY,
    defaultValue: "live",
    getInitialValueInEffect: false,
    // Otherwise, a switch in another tab would cancel an import here and show an open link as not found.
    sync: false,
    deserialize: parseMode,
    serialize: (value) => value,
  });
  return createElement(ModeContext, { value: { mode, setMode } }, children);
}

export function useMode() {
  return use(ModeContext);
}

/** Switches the mode, and leaves what exists in one mode only: a link, or a place in the list. */
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
