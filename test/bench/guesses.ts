/**
 * Redirects of one link while passwords of another are guessed, as ratios to those while as many visitors read its form. Of
 * all guesses, only as many are checked as the limit allows.
 */
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";

import { PASSWORD_ATTEMPTS_MAX } from "../../src/clicks/password-checks.ts";
import { type Figure, median } from "./figures.ts";
import { type LoadMeasurement, percentile, runLoad } from "./load.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";

const ROUNDS = 5;
const GUESSES = 10_000;
const NETWORKS = 1_000;
const GUESSES_PER_SECOND = 250;
const GUESSERS = 16;
const LOAD = {
  paths: ["/plain"],
  connections: 32,
  until: { seconds: GUESSES / ROUNDS / GUESSES_PER_SECOND },
  rate: 250,
};

export async function guesses(script: string): Promise<Figure[]> {
  const ours = await startHoplink(script, { objectsApart: true });
  try {
    const { id } = await ours.api.createLink({ slug: "plain" });
    await ours.api.createLink({ slug: "locked", password: "right password" });
    let visits = 0;
    const answers = new Map<string, number>();
    const loadDuring = async (method: "GET" | "POST", round: number) => {
      const [measured] = await Promise.all([runLoad(ours, LOAD), guess(ours, method, round, answers)]);
      visits += measured.visits;
      return measured;
    };
    // The first visit is measured separately (`cold`).
    await loadDuring("GET", 0);
    answers.clear();
    const pairs: { form: LoadMeasurement; guesses: LoadMeasurement }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      pairs.push({ form: await loadDuring("GET", round), guesses: await loadDuring("POST", round) });
    const counted = await ours.api.totalOnceRecorded([id], visits);
    if (counted !== visits) throw new Error(`guesses: ${counted} clicks counted of ${visits}`);
    const [checked = 0, refused = 0] = [answers.get("POST 401"), answers.get("POST 429")];
    if (checked + refused !== GUESSES || answers.get("GET 401") !== GUESSES)
      throw new Error(`guesses: ${JSON.stringify([...answers])}`);
    const ratio = (share: number, of = pairs) =>
      median(of.map((pair) => percentile(pair.guesses.latencies, share))) /
      median(of.map((pair) => percentile(pair.form.latencies, share)));
    const cpu = median(pairs.map((pair) => pair.guesses.cpuMicros / pair.form.cpuMicros));
    return [
      { name: `${GUESSES} guesses, checked`, value: checked, unit: "", target: `<= ${PASSWORD_ATTEMPTS_MAX.link}` },
      { name: "guesses and other redirects, CPU", value: cpu, unit: "of forms", target: "<= 2" },
      { name: "guesses, other redirects, p50", value: ratio(0.5), unit: "of forms", target: "<= 1.5" },
      { name: "guesses, other redirects, p99", value: ratio(0.99), unit: "of forms" },
      { name: "checked guesses, other redirects, p99", value: ratio(0.99, pairs.slice(0, 1)), unit: "of forms" },
    ];
  } finally {
    await ours.stop();
  }
}

/** Sends the round's share of the guesses, or reads the form as often, at a constant rate. */
async function guess(
  { url }: HoplinkServer,
  method: "GET" | "POST",
  round: number,
  answers: Map<string, number>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: GUESSERS });
  const startedAt = performance.now();
  let next = 0;
  const guessOn = async () => {
    while (next < GUESSES / ROUNDS) {
      const number = next++;
      const dueAt = startedAt + (number / GUESSES_PER_SECOND) * 1_000;
      await setTimeout(Math.max(0, dueAt - performance.now()));
      const status = await send(`${url}/locked`, method, agent, (GUESSES / ROUNDS) * round + number);
      const answer = `${method} ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: GUESSERS }, guessOn));
  agent.destroy();
}

function send(url: string, method: "GET" | "POST", agent: Agent, number: number): Promise<number | undefined> {
  const network = number % NETWORKS;
  const headers = {
    "CF-Connecting-IP": `10.0.${network >> 8}.${network & 255}`,
    "Content-Type": "application/x-www-form-urlencoded",
  };
  return new Promise((done, fail) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume().once("end", () => done(response.statusCode));
    });
    sent.once("error", fail).end(method === "POST" ? `password=guess+${number}` : undefined);
  });
}
