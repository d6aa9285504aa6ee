/** Entry point: context providers around the routes. */
import "@fontsource/bricolage-grotesque/latin-700.css";
import "./mantine.css";
import "./dashboard.css";

import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";

import { accountQuery } from "./api/account.ts";
import { queryClient } from "./api/client.ts";
import { watchIconNames } from "./components/buttons.tsx";
import { watchFocus } from "./components/focus-return.ts";
import { PartLoadError, watchStylesheets } from "./components/lazy-part.tsx";
import { Overlays } from "./components/overlay-parts.tsx";
import { isAnsweredEarly } from "./early-loads.ts";
import { ModeProvider } from "./mode.ts";
import { Routes } from "./routes.tsx";
import { cssVariablesResolver, theme } from "./theme.ts";

watchStylesheets();
watchFocus();
watchIconNames();

export async function render(): Promise<void> {
  // The first paint then shows the page itself instead of a placeholder.
  if (isAnsweredEarly("/account")) await queryClient.prefetchQuery(accountQuery);
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no #root");
  createRoot(root, { onCaughtError: logCaughtError }).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <Router base="/dashboard">
            <ModeProvider>
              <Routes />
              <Overlays />
            </ModeProvider>
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** Printers leave out backgrounds, so light text would be invisible. */
matchMedia("print").addEventListener("change", ({ matches }) => {
  const { dataset } = document.documentElement;
  if (matches) Object.assign(dataset, { screenScheme: dataset["mantineColorScheme"], mantineColorScheme: "light" });
  else dataset["mantineColorScheme"] = dataset["screenScheme"];
});

/** Logs a part that failed to load as a warning, because that is not a bug in the code. */
function logCaughtError(error: unknown, { componentStack }: { componentStack?: string | undefined }): void {
  if (error instanceof PartLoadError) console.warn(error);
  else console.error(error, componentStack);
}
