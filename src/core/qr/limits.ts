/** What a code may measure. By itself, since the designer in the browser shows these limits and needs no zod. */
export const QR_SIZE_MIN_PX = 64;
export const QR_SIZE_MAX_PX = 4_096;
export const QR_SIZE_DEFAULT_PX = 512;
/** Free space that readers look for around a code, and its default margin. */
export const QUIET_ZONE_MODULES = 4;
export const QR_MARGIN_MAX_MODULES = 16;
export const LOGO_MAX_BYTES = 64 * 1024;
