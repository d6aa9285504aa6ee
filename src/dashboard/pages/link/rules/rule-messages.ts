/** The API's messages about rules in the words of the editor. Pure. */
import { ruleMessageTexts as texts } from "../../../texts/rules.ts";

/** By how the API's message begins or what it names; tests compare them with what the API says. */
const MESSAGES: readonly [pattern: RegExp, text: string][] = [
  [/^must be an absolute URL/, texts.url],
  [/^must not contain spaces/, texts.url],
  [/^must begin with http/, texts.scheme],
  [/^must have a host after/, texts.url],
  [/short domains$/, texts.loop],
  [/RFC 3339/, texts.instant],
  [/ISO 3166-1/, texts.country],
  [/ISO 3166-2/, texts.region],
  [/BCP 47/, texts.language],
  [/^must be a host name/, texts.referrer],
  [/IANA time zone/, texts.zone],
  [/^must have days, from or to$/, texts.time],
  [/^from and to must differ$|from and to must differ/, texts.sameHours],
  [/>=1 items$/, texts.noValues],
  [/^must not be empty$/, texts.noConditions],
  [/^must name at least one parameter$/, texts.noParameters],
  [/^has a name that is not allowed here$/, texts.parameterName],
  [/number, not null$|[<>]=\d+$/, texts.share],
];

/** @param message  without the path that it begins with */
export function ruleMessage(message: string): string {
  const known = MESSAGES.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  const text = message.replace(/^must have <=(\d+) /, "must have at most $1 ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Of a rule that never applies. @param earlier  number of the rule that takes its visitors, from 1 */
export function unreachableMessage(earlier: number): string {
  return texts.unreachable(earlier);
}
