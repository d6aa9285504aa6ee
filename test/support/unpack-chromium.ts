/** Unpacks `@sparticuz/chromium` into the temporary folder: a process of its own, whose TMPDIR says where that is. */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
