/**
 * Loads modules that objects, and visits at the same time, load on first use. In a bundle that takes no time. Vitest fetches the module: when two
 * objects wait for the same one, the second continues in the context of the first, where workerd refuses its I/O.
 */
import "../../src/clicks/account/account-object.ts";
import "../../src/clicks/backtest.ts";
import "../../src/clicks/click-draw.ts";
import "../../src/clicks/click-export.ts";
import "../../src/clicks/log-copy.ts";
import "../../src/clicks/packed-blocks.ts";
import "../../src/clicks/stats-scan.ts";
import "../../src/edge/error-pages.ts";
import "../../src/store/directory/divided-requests.ts";
import "../../src/store/directory/moved-links.ts";
import "../../src/store/links/stats-news.ts";
