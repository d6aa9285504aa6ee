/** Reads a logo as the data URI that the API takes, and validates it by the same functions as the API. */
import { LOGO_MAX_BYTES } from "../../../../core/qr/limits.ts";
import { parseLogo } from "../../../../core/qr/logo.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { logoMessage } from "./qr-errors.ts";

export async function readLogoFile(file: File): Promise<{ uri: string } | { fault: string }> {
  if (file.size > LOGO_MAX_BYTES) return { fault: texts.logoTooLarge(LOGO_MAX_BYTES / 1024) };
  const uri = await readDataUri(file);
  const logo = parseLogo(uri);
  return "fault" in logo ? { fault: logoMessage(`logo ${logo.fault}`) } : { uri };
}

function readDataUri(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error(texts.logoUnreadable)));
    reader.readAsDataURL(file);
  });
}
