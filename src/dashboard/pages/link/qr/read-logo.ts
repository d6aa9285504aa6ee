/** Reads a file as the API takes logos, and says what is wrong with it before it is sent. */
import { LOGO_MAX_BYTES } from "../../../../core/qr/limits.ts";
import { parseLogo } from "../../../../core/qr/logo.ts";

export async function readLogo(file: File): Promise<{ uri: string } | { fault: string }> {
  if (file.size > LOGO_MAX_BYTES) return { fault: `The file must have at most ${LOGO_MAX_BYTES / 1024} KiB` };
  const uri = await dataUri(file);
  const logo = parseLogo(uri);
  return "fault" in logo ? { fault: `The file ${logo.fault}` } : { uri };
}

function dataUri(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(String(reader.result)));
    reader.addEventListener("error", () => fail(new Error("The file cannot be read")));
    reader.readAsDataURL(file);
  });
}
