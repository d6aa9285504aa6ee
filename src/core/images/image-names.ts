/** Names of stored images, which are the last segment of their URLs, and their types. Pure. */
const TYPES = { png: "image/png", svg: "image/svg+xml", jpg: "image/jpeg", webp: "image/webp" } as const;

export type ImageFormat = keyof typeof TYPES;

const SOCIAL_IMAGE = /(?<=\/)img_[0-9a-z]{26}\.(?:png|jpg|webp)$/;
/** Without TLS, as `CDN_URL` is in development. */
const LOCAL_IMAGE = /^http:\/\/localhost(?::\d+)?\/.*\/img_[0-9a-z]{26}\.(?:png|jpg|webp)$/;
const NAME = /^(?:qr_[0-9a-z]{26}\.(?:png|svg)|img_[0-9a-z]{26}\.(?:png|jpg|webp))$/;

export function imageName({ id, format }: { id: string; format: ImageFormat }): string {
  return `${id}.${format}`;
}

export function isImageName(text: string): boolean {
  return NAME.test(text);
}

export function imageType(name: string): (typeof TYPES)[ImageFormat] {
  return TYPES[name.slice(name.lastIndexOf(".") + 1) as ImageFormat];
}

export function isLocalImage(url: string): boolean {
  return LOCAL_IMAGE.test(url);
}

/** The name of the uploaded image that a URL ends with, whatever its host: `CDN_URL` may change. Null for other URLs. */
export function socialImageName(url: string): string | null {
  return SOCIAL_IMAGE.exec(url)?.[0] ?? null;
}
