/** Preview of a QR code, drawn as SVG. */
import { Alert } from "@mantine/core";
import { useMemo } from "react";

import type { Ecc } from "../../../../core/qr/matrix.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { colorContrast, drawQr } from "./qr-drawing.ts";
import classes from "./qr.module.css";

interface QrPreviewProps {
  shortUrl: string;
  design: { fg: string; bg: string; size: number; margin: number; ecc: Ecc; logo: string | null };
}

export function QrPreview({ shortUrl, design: { fg, bg, size, margin, ecc, logo } }: QrPreviewProps) {
  const hasLogo = logo !== null;
  const drawing = useMemo(
    () => drawQr(shortUrl, { ecc, margin, size, hasLogo }),
    [shortUrl, ecc, margin, size, hasLogo],
  );
  if (colorContrast(fg, bg) === null) return null;
  if ("minSize" in drawing) {
    return (
      <Alert color="yellow" variant="light" role="status">
        {texts.sizeTooSmall(drawing.minSize)}
      </Alert>
    );
  }
  const { path, logoBox } = drawing;
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.preview} role="img" aria-label={texts.previewLabel}>
      <rect width={size} height={size} fill={bg} />
      <path d={path} fill={fg} shapeRendering="crispEdges" />
      {logoBox && logo && (
        <image href={logo} x={logoBox.at} y={logoBox.at} width={logoBox.side} height={logoBox.side} />
      )}
    </svg>
  );
}
