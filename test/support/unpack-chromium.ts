/** Unpacks `@sparticuz/chromium` into the temporary folder, in a separate process whose TMPDIR sets that folder. */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
