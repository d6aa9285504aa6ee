/** Limits of QR codes. A module of its own, because the designer in the browser shows them and must not load zod. */
export const QR_SIZE_MIN_PX = 64;
export const QR_SIZE_MAX_PX = 4_096;
export const QR_SIZE_DEFAULT_PX = 512;
/** The quiet zone that readers need around a code; the default margin. */
export const QUIET_ZONE_MODULES = 4;
export const QR_MARGIN_MAX_MODULES = 16;
export const LOGO_MAX_BYTES = 64 * 1024;
