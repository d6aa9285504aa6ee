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
import type { UseFormReturnType } from "@mantine/form";
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
  form: UseFormReturnType<QrDesign>;
  /** Of the last attempt to create the code. */
  errors: QrFieldErrors;
}

const toOptions = (labels: object) =>
  Object.entries(labels).map(([value, label]: [string, string]) => ({ value, label }));
const SHAPES = [
  { name: "modules", label: texts.modules, data: toOptions(texts.moduleShapes) },
  { name: "corners", label: texts.corners, data: toOptions(texts.cornerShapes) },
] as const;

export function QrDesignFields({ form, errors }: QrDesignFieldsProps) {
  const { values: design, getInputProps } = form;
  return (
    <Stack gap="md">
      <ColorInputs form={form} errors={errors} />
      <Group align="flex-start" grow preventGrowOverflow={false}>
        {SHAPES.map(({ name, ...select }) => (
          <Select key={name} {...select} {...getInputProps(name)} />
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
          onChange={(size) => typeof size === "number" && form.setFieldValue("size", size)}
        />
        <Select
          label={texts.ecc}
          description={design.logo === null ? texts.eccHint : texts.eccOfLogo}
          data={toOptions(texts.eccLevels)}
          disabled={design.logo !== null}
          {...getInputProps("ecc")}
          value={effectiveDesign(design).ecc}
        />
      </Group>
      <Input.Wrapper label={texts.margin(design.margin)} description={texts.marginHint(QUIET_ZONE_MODULES)}>
        <Slider
          mt="xs"
          min={0}
          max={QR_MARGIN_MAX_MODULES}
          label={null}
          thumbLabel={texts.marginThumb}
          {...getInputProps("margin")}
        />
      </Input.Wrapper>
      <LogoInput form={form} errors={errors} />
      <Input.Wrapper label={texts.permanentFormat} description={texts.permanentHint}>
        <div className={classes.choice}>
          <SegmentedControl
            aria-label={texts.format}
            data={toOptions({ png: "PNG", svg: "SVG" })}
            {...getInputProps("format")}
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
function ColorInputs({ form, errors }: QrDesignFieldsProps) {
  const contrast = colorContrast(form.values.fg, form.values.bg);
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
            {...form.getInputProps(name)}
            error={name === "fg" && errors.colors}
            popoverProps={BELOW}
            eyeDropperButtonProps={{ "aria-label": pick }}
          />
        ))}
      </Group>
    </div>
  );
}

/** Selects a logo file, and validates it before it is sent. */
function LogoInput({ form, errors }: QrDesignFieldsProps) {
  const { logo } = form.values;
  const [fileError, setFileError] = useState<string | null>(null);
  const set = (chosen: { uri: string | null } | { fault: string }) => {
    setFileError("fault" in chosen ? chosen.fault : null);
    if ("uri" in chosen) form.setFieldValue("logo", chosen.uri);
  };
  const onFile = async (file: File) => set(await readLogoFile(file).catch(() => ({ fault: texts.logoUnreadable })));
  return (
    <Input.Wrapper
      label={texts.logo}
      description={texts.logoHint(LOGO_MAX_BYTES / 1024)}
      error={fileError ?? errors.logo}
      role="group"
      aria-label={texts.logo}
    >
      <Group mt="xs">
        <FilePicker onFile={(file) => void onFile(file)} accept="image/png,image/jpeg,image/svg+xml">
          {(props) => <PlainButton {...props}>{logo === null ? texts.chooseLogo : texts.changeLogo}</PlainButton>}
        </FilePicker>
        {logo !== null && (
          <Button variant="subtle" color="gray" onClick={() => set({ uri: null })}>
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
