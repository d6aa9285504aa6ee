/**
 * The objects of all links and accounts, each started with the code of the release that is selected at that time. A
 * running object keeps its code until it is evicted, as in a rollout.
 */
import { DurableObject } from "cloudflare:workers";

import * as current from "./current.js";
import * as next from "./next.js";
import * as previous from "./previous.js";

const RELEASES = { previous, current, next };

let chosen = { links: "current", feeds: "current" };

export class LinkClicks extends DurableObject {
  // oxlint-disable-next-line constructor-super -- the object of the release takes this one's place
  constructor(ctx, env) {
    return new RELEASES[chosen.links].LinkClicks(ctx, env);
  }
}

export class AccountFeed extends DurableObject {
  // oxlint-disable-next-line constructor-super -- the object of the release takes this one's place
  constructor(ctx, env) {
    return new RELEASES[chosen.feeds].AccountFeed(ctx, env);
  }
}

export default {
  async fetch(request) {
    chosen = await request.json();
    return new Response();
  },
};
