/** The inputs of a QR code's design: colors with their contrast, size, error correction, margin, logo, format. */
import {
  Button,
  ColorInput,
  Group,
  Input,
  NumberInput,
  type PopoverProps,
  SegmentedControl,
  Select,
  Slider,
  Stack,
  Text,
} from "@mantine/core";
import { useState } from "react";

import {
  LOGO_MAX_BYTES,
  QR_MARGIN_MAX_MODULES,
  QR_SIZE_MAX_PX,
  QR_SIZE_MIN_PX,
  QUIET_ZONE_MODULES,
} from "../../../../core/limits.ts";
import { PlainButton } from "../../../components/buttons.tsx";
import { parseLogo } from "../../../../core/qr/logo.ts";
import { FilePicker } from "../../../components/inputs.tsx";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { effectiveDesign, logoMessage, type QrDesign, type QrFieldErrors } from "./qr-design.ts";
import { colorContrast } from "./qr-drawing.ts";
import classes from "./qr.module.css";

interface QrDesignFieldsProps {
  design: QrDesign;
  onChange: (change: Partial<QrDesign>) => void;
  errors: QrFieldErrors;
}

const ECC_OPTIONS = Object.entries(texts.eccLevels).map(([value, label]) => ({
  value: value as QrDesign["ecc"],
  label,
}));
const SHAPES = [
  { name: "modules", label: texts.modules, shapes: texts.moduleShapes },
  { name: "corners", label: texts.corners, shapes: texts.cornerShapes },
] as const;
const FORMAT_OPTIONS = [
  { value: "png", label: "PNG" },
  { value: "svg", label: "SVG" },
];

export function QrDesignFields({ design, onChange, errors }: QrDesignFieldsProps) {
  return (
    <Stack gap="md">
      <ColorInputs design={design} onChange={onChange} errors={errors} />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {SHAPES.map(({ name, label, shapes }) => (
          <Select
            key={name}
            label={label}
            data={Object.entries(shapes).map(([value, text]) => ({ value, label: text }))}
            value={design[name]}
            onChange={(shape) => shape && onChange({ [name]: shape })}
          />
        ))}
      </Group>
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
      <LogoInput design={design} onChange={onChange} errors={errors} />
      <Input.Wrapper label={texts.permanentFormat} description={texts.permanentHint}>
        <div className={classes.choice}>
          <SegmentedControl
            aria-label={texts.format}
            data={FORMAT_OPTIONS}
            value={design.format}
            onChange={(format) => onChange({ format: format === "svg" ? "svg" : "png" })}
          />
        </div>
      </Input.Wrapper>
    </Stack>
  );
}

/** Opened above the inputs, it would cover the contrast, which users watch while they pick. */
const BELOW: PopoverProps = { position: "bottom-start", middlewares: { flip: false, shift: { padding: 8 } } };

const COLORS = [
  { name: "fg", label: texts.foreground, pick: texts.pickForeground },
  { name: "bg", label: texts.background, pick: texts.pickBackground },
] as const;

/** Inputs for a QR code's colors, with their contrast. */
function ColorInputs({ design, onChange, errors }: QrDesignFieldsProps) {
  const contrast = colorContrast(design.fg, design.bg);
  return (
    <div>
      <Text size="sm" mb="xs" role="status" className={classes.contrast} data-enough={contrast?.isEnough}>
        {contrast === null ? texts.colorHint : texts.contrast(contrast.ratio, contrast.isEnough)}
      </Text>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {COLORS.map(({ name, label, pick }) => (
          <ColorInput
            key={name}
            label={label}
            format="hex"
            value={design[name]}
            error={name === "fg" && errors.colors}
            popoverProps={BELOW}
            onChange={(color) => onChange({ [name]: color })}
            eyeDropperButtonProps={{ "aria-label": pick }}
          />
        ))}
      </Group>
    </div>
  );
}

/** Selects a logo file, and validates it before it is sent. */
function LogoInput({ design: { logo }, onChange, errors }: QrDesignFieldsProps) {
  const [fileError, setFileError] = useState<string | null>(null);
  const readFile = async (file: File) => {
    const result = await readLogoFile(file).catch(() => ({ fault: texts.logoUnreadable }));
    setFileError("fault" in result ? result.fault : null);
    if ("uri" in result) onChange({ logo: result.uri });
  };
  return (
    <Input.Wrapper
      label={texts.logo}
      description={texts.logoHint(LOGO_MAX_BYTES / 1024)}
      error={fileError ?? errors.logo}
      role="group"
      aria-label={texts.logo}
    >
      <Group mt="xs">
        <FilePicker onFile={(file) => void readFile(file)} accept="image/png,image/jpeg,image/svg+xml">
          {(props) => <PlainButton {...props}>{logo === null ? texts.chooseLogo : texts.changeLogo}</PlainButton>}
        </FilePicker>
        {logo !== null && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => {
              setFileError(null);
              onChange({ logo: null });
            }}
          >
            {texts.removeLogo}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

/** Reads a logo as the data URI that the API accepts, and validates it with the API's own functions. */
async function readLogoFile(file: File): Promise<{ uri: string } | { fault: string }> {
  if (file.size > LOGO_MAX_BYTES) return { fault: texts.logoTooLarge(LOGO_MAX_BYTES / 1024) };
  const text = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
  const uri = `data:${file.type};base64,${btoa(text)}`;
  const logo = parseLogo(uri);
  return "fault" in logo ? { fault: logoMessage(`logo ${logo.fault}`) } : { uri };
}
