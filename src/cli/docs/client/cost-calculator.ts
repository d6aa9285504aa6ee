/**
 * The cost calculator: computes while a person types, and keeps the inputs in the address, so that a bill can be sent to
 * somebody. Without this script the form stays hidden, and the page's table of examples is what there is.
 */
import {
  monthlyCosts,
  parseUsage,
  totalDollars,
  type MonthlyUsage,
  USAGE_NAMES,
  writeUsage,
} from "../../../core/costs/monthly-costs.ts";

const SPOKEN_DELAY_MS = 800;

export function startCostCalculator(): void {
  const form = document.querySelector<HTMLFormElement>("form.calculator");
  if (!form) return;
  fillIn(form, parseUsage(new URLSearchParams(location.search)));
  show(form);
  let spoken: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener("input", () => {
    const total = show(form);
    const query = writeUsage(usageOf(form)).toString();
    history.replaceState(history.state, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
    clearTimeout(spoken);
    // Not with each key: a screen reader would begin again and again.
    spoken = setTimeout(() => announce(form, total), SPOKEN_DELAY_MS);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
}

function fillIn(form: HTMLFormElement, usage: MonthlyUsage): void {
  for (const name of USAGE_NAMES) inputOf(form, name).value = String(usage[name]);
}

/** @returns the total as it is shown */
function show(form: HTMLFormElement): string {
  const costs = monthlyCosts(usageOf(form));
  for (const { name, dollars } of costs) write(form, name, dollars);
  return write(form, "total", totalDollars(costs));
}

function write(form: HTMLFormElement, name: string, dollars: number): string {
  const text = dollars.toLocaleString("en-US", { style: "currency", currency: "USD" });
  const cell = form.querySelector(`[data-cost=${name}]`);
  if (cell) cell.textContent = text;
  return text;
}

function announce(form: HTMLFormElement, total: string): void {
  const status = form.querySelector("[role=status]");
  if (status) status.textContent = `${total} a month`;
}

/** What is typed, within its bounds. */
function usageOf(form: HTMLFormElement): MonthlyUsage {
  return parseUsage(new URLSearchParams(USAGE_NAMES.map((name) => [name, inputOf(form, name).value])));
}

function inputOf(form: HTMLFormElement, name: string): HTMLInputElement {
  const input = form.elements.namedItem(name);
  if (!(input instanceof HTMLInputElement)) throw new Error(`the calculator has no input ${name}`);
  return input;
}
