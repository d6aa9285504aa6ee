/**
 * The cost calculator: computes while the reader types, and keeps the inputs in the address, so that a bill can be
 * shared. Without this script, the page shows a table of examples.
 */
import {
  type Cost,
  monthlyCosts,
  parseUsage,
  totalDollars,
  USAGE_INPUTS,
  USAGE_NAMES,
  writeUsage,
} from "../../../core/costs/monthly-costs.ts";

const SPOKEN_DELAY_MS = 800;
const DOLLARS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

const COST_NAMES: Record<Cost["name"], string> = {
  plan: "Workers Paid plan",
  redirects: "Redirects",
  clicks: "Click storage",
  links: "Links and QR codes",
  streams: "Live streams",
  upkeep: "Cron jobs, metrics, logs and dashboard",
  storage: "Storage after one year",
};

/** @param form  empty and hidden */
export function startCostCalculator(form: HTMLFormElement): void {
  const initial = parseUsage(new URLSearchParams(location.search));
  const inputs = USAGE_NAMES.map(
    (name) => `<label><span>${USAGE_INPUTS[name].label}</span>
      <input type="number" name="${name}" min="0" max="${USAGE_INPUTS[name].max}" step="any" value="${initial[name]}" required>
    </label>`,
  );
  form.innerHTML = `<div class="inputs">${inputs.join("")}</div><table><tbody></tbody></table>
    <p role="status" class="visually-hidden"></p>`;
  const [bill, status] = [form.querySelector("tbody"), form.querySelector("p")];
  const show = () => {
    const values = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const usage = parseUsage(new URLSearchParams(values));
    const costs = monthlyCosts(usage);
    const total = DOLLARS.format(totalDollars(costs));
    const rows = costs.map(({ name, dollars }) => [COST_NAMES[name], DOLLARS.format(dollars)]);
    if (bill) {
      bill.innerHTML = [...rows, ["Total per month", total]]
        .map(([label, amount]) => `<tr><th scope="row">${label}</th><td>${amount}</td></tr>`)
        .join("");
    }
    return { usage, total };
  };
  show();
  let spoken: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener("input", () => {
    const { usage, total } = show();
    const query = writeUsage(usage).toString();
    history.replaceState(history.state, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
    clearTimeout(spoken);
    // Delayed, because a screen reader would start over with each key.
    spoken = setTimeout(() => status?.replaceChildren(`${total} per month`), SPOKEN_DELAY_MS);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
}
