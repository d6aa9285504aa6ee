/** The inputs of a QR code's design. Holds nothing: a link's page and the dialog that creates a link show them. */
import { Group, Input, NumberInput, SegmentedControl, Select, Slider, Stack } from "@mantine/core";

import {
  QR_MARGIN_MAX_MODULES,
  QR_SIZE_MAX_PX,
  QR_SIZE_MIN_PX,
  QUIET_ZONE_MODULES,
} from "../../../../core/qr/limits.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { ColorInputs } from "./color-inputs.tsx";
import { LogoInput } from "./logo-input.tsx";
import { effectiveDesign, type QrDesign } from "./qr-design.ts";
import type { QrFieldErrors } from "./qr-errors.ts";

export interface QrDesignFieldsProps {
  design: QrDesign;
  onChange: (change: Partial<QrDesign>) => void;
  errors: QrFieldErrors;
}

const ECC_OPTIONS = Object.entries(texts.eccLevels).map(([value, label]) => ({
  value: value as QrDesign["ecc"],
  label,
}));
const FORMAT_OPTIONS = [
  { value: "png", label: "PNG" },
  { value: "svg", label: "SVG" },
];

export function QrDesignFields({ design, onChange, errors }: QrDesignFieldsProps) {
  return (
    <Stack gap="md">
      <ColorInputs colors={design} onChange={onChange} error={errors.colors} />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NumberInput
          label={texts.size}
          description={texts.sizeRange(QR_SIZE_MIN_PX, QR_SIZE_MAX_PX)}
          min={QR_SIZE_MIN_PX}
          max={QR_SIZE_MAX_PX}
          step={64}
          allowDecimal={false}
          clampBehavior="blur"
          value={design.size}
          error={errors.size}
          onChange={(size) => typeof size === "number" && onChange({ size })}
        />
        <Select
          label={texts.ecc}
          description={design.logo === null ? texts.eccHint : texts.eccOfLogo}
          data={ECC_OPTIONS}
          value={effectiveDesign(design).ecc}
          disabled={design.logo !== null}
          allowDeselect={false}
          onChange={(ecc) => ecc && onChange({ ecc })}
        />
      </Group>
      <Input.Wrapper label={texts.margin(design.margin)} description={texts.marginHint(QUIET_ZONE_MODULES)}>
        <Slider
          mt="xs"
          min={0}
          max={QR_MARGIN_MAX_MODULES}
          label={null}
          thumbLabel={texts.marginThumb}
          value={design.margin}
          onChange={(margin) => onChange({ margin })}
        />
      </Input.Wrapper>
      <LogoInput logo={design.logo} onChange={(logo) => onChange({ logo })} error={errors.logo} />
      <div>
        <SegmentedControl
          aria-label={texts.format}
          data={FORMAT_OPTIONS}
          value={design.format}
          onChange={(format) => onChange({ format: format === "svg" ? "svg" : "png" })}
        />
      </div>
    </Stack>
  );
}
