/** The form of the cost calculator in a guide, which the pages' script fills in and shows (`client/cost-calculator.ts`). */
import {
  type Cost,
  monthlyCosts,
  parseUsage,
  totalDollars,
  USAGE_INPUTS,
  USAGE_NAMES,
} from "../../core/costs/monthly-costs.ts";
import { html, type HtmlPart } from "./html.ts";

const COST_NAMES: Record<Cost["name"], string> = {
  plan: "Workers Paid plan",
  redirects: "Redirects",
  clicks: "Storing clicks",
  links: "Links and QR codes",
  streams: "Live streams",
  storage: "Storage, after a year",
};

export function costCalculator(): HtmlPart {
  const costs = monthlyCosts(parseUsage(new URLSearchParams()));
  return html`<form class="calculator" hidden aria-label="Cost calculator">
    <div class="inputs">
      ${USAGE_NAMES.map((name) => {
        const { label, max, usual } = USAGE_INPUTS[name];
        return html`<label
          ><span>${label}</span
          ><input type="number" name="${name}" min="0" max="${max}" step="any" value="${usual}" required
        /></label>`;
      })}
    </div>
    <table>
      <tbody>
        ${costs.map(({ name }) => costRow(name, COST_NAMES[name]))}
      </tbody>
      <tfoot>
        ${costRow("total", "A month")}
      </tfoot>
    </table>
    <p role="status" class="visually-hidden"></p>
  </form>`;

  function costRow(name: string, label: string): HtmlPart {
    const found = costs.find((cost) => cost.name === name);
    return html`<tr>
      <th scope="row">${label}</th>
      <td data-cost="${name}">$${(found?.dollars ?? totalDollars(costs)).toFixed(2)}</td>
    </tr>`;
  }
}
