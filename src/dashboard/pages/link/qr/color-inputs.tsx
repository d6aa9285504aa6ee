/** Inputs of a QR code's colours, with their contrast. */
import { ColorInput, Group, type PopoverProps, Text } from "@mantine/core";

import { qrTexts as texts } from "../../../texts/qr.ts";
import { colorContrast } from "./qr-drawing.ts";
import classes from "./qr.module.css";

/** Above the inputs it would cover the contrast, which people watch while they pick. */
const BELOW: PopoverProps = { position: "bottom-start", middlewares: { flip: false, shift: { padding: 8 } } };

interface Colors {
  fg: string;
  bg: string;
}

interface ColorInputsProps {
  colors: Colors;
  onChange: (change: Partial<Colors>) => void;
  error: string | undefined;
}

export function ColorInputs({ colors, onChange, error }: ColorInputsProps) {
  const contrast = colorContrast(colors.fg, colors.bg);
  return (
    <div>
      <Text size="sm" mb="xs" role="status" className={classes.contrast} data-enough={contrast?.isEnough}>
        {contrast === null ? texts.colorHint : texts.contrast(contrast.ratio, contrast.isEnough)}
      </Text>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <ColorInput
          label={texts.foreground}
          format="hex"
          value={colors.fg}
          error={error}
          popoverProps={BELOW}
          onChange={(fg) => onChange({ fg })}
          eyeDropperButtonProps={{ "aria-label": texts.pickForeground }}
        />
        <ColorInput
          label={texts.background}
          format="hex"
          value={colors.bg}
          popoverProps={BELOW}
          onChange={(bg) => onChange({ bg })}
          eyeDropperButtonProps={{ "aria-label": texts.pickBackground }}
        />
      </Group>
    </div>
  );
}
