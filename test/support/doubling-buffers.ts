/**
 * Miniflare encodes workerd's configuration, with all Workers, in a buffer that it copies for each further 4 kB. With a
 * Worker of 3 MB that takes a second per start. Here the buffer doubles.
 */
import { registerHooks } from "node:module";

const GROWS = "new ArrayBuffer(srcBuffer.byteLength + minSize)";
const DOUBLES = "new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength))";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/miniflare/dist/src/index.js")) return loaded;
    return { ...loaded, source: String(loaded.source).replace(GROWS, DOUBLES) };
  },
});
