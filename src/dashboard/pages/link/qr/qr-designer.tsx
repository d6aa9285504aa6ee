/**
 * Designer of a link's QR codes, and the codes that it has. The preview is drawn in the browser, by the same functions
 * as the image that the API makes, which has a token of its own. Loaded lazily, with the code that encodes symbols.
 */
import { Alert, Button, Grid, Stack } from "@mantine/core";
import { type MouseEvent, useMemo, useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { Ecc } from "../../../../core/qr/matrix.ts";
import { TitledCard } from "../../../components/card.tsx";
import { Notice } from "../../../components/states.tsx";
import { Hint } from "../../../components/hint.tsx";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { QrCodeList } from "./qr-code-list.tsx";
import { QrDesignFields } from "./qr-design-fields.tsx";
import { DEFAULT_DESIGN, effectiveDesign, type QrDesign, qrFieldErrors, qrFormError } from "./qr-design.ts";
import { colorContrast, drawQr } from "./qr-drawing.ts";
import classes from "./qr.module.css";
import { useCreateQrCode } from "./use-qr-codes.ts";

export default function QrDesigner({ link }: { link: Link }) {
  const [design, setDesign] = useState(DEFAULT_DESIGN);
  const create = useCreateQrCode(link.id);
  const changeDesign = (change: Partial<QrDesign>) => {
    if (!create.isPending) create.reset();
    setDesign((now) => ({ ...now, ...change }));
  };
  const onCreate = ({ detail }: MouseEvent) => {
    // The second click of a double click may come after the first has made its code.
    if (detail <= 1) create.mutate(design);
  };

  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <QrDesignFields design={design} onChange={changeDesign} errors={qrFieldErrors(create.error)} />
            <div>
              <Button onClick={onCreate} loading={create.isPending}>
                {texts.create}
              </Button>
            </div>
            {create.error && (
              <Notice color="red" title={texts.notCreated}>
                {qrFormError(create.error) ?? texts.correctFields}
              </Notice>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TitledCard title={texts.preview}>
            <QrPreview shortUrl={link.short_url} design={effectiveDesign(design)} />
            <Hint size="xs">{texts.previewHint}</Hint>
          </TitledCard>
        </Grid.Col>
      </Grid>
      <QrCodeList linkId={link.id} />
    </Stack>
  );
}

interface QrPreviewProps {
  shortUrl: string;
  design: { fg: string; bg: string; size: number; margin: number; ecc: Ecc; logo: string | null };
}

/** Preview of a QR code, drawn as SVG. */
function QrPreview({ shortUrl, design: { fg, bg, size, margin, ecc, logo } }: QrPreviewProps) {
  const hasLogo = logo !== null;
  const drawing = useMemo(
    () => drawQr(shortUrl, { ecc, margin, size, hasLogo }),
    [shortUrl, ecc, margin, size, hasLogo],
  );
  if (colorContrast(fg, bg) === null) return null;
  if ("minSize" in drawing) {
    return (
      <Alert color="yellow" role="status">
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
