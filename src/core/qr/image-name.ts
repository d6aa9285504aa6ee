/** Names of images, in the bucket and below CDN_URL: a code's id and the format. Pure. */
import type { QrCode } from "../contract/qr-codes.ts";

const TYPES: Record<QrCode["format"], string> = { png: "image/png", svg: "image/svg+xml" };

const NAME = /^qr_[0-9a-z]{26}\.(png|svg)$/;

export function imageName({ id, format }: Pick<QrCode, "id" | "format">): string {
  return `${id}.${format}`;
}

export function isImageName(text: string): boolean {
  return NAME.test(text);
}

export function imageType(name: string): string {
  return name.endsWith(".svg") ? TYPES.svg : TYPES.png;
}
