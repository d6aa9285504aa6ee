/** Inputs of a QR code's colours, with their contrast. */
import { ColorInput, Group, Text } from "@mantine/core";

import { colorContrast } from "./qr-drawing.ts";
import classes from "./qr.module.css";

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
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <ColorInput
          label="Foreground"
          format="hex"
          value={colors.fg}
          error={error}
          onChange={(fg) => onChange({ fg })}
          eyeDropperButtonProps={{ "aria-label": "Pick the foreground from the screen" }}
        />
        <ColorInput
          label="Background"
          format="hex"
          value={colors.bg}
          onChange={(bg) => onChange({ bg })}
          eyeDropperButtonProps={{ "aria-label": "Pick the background from the screen" }}
        />
      </Group>
      <Text size="sm" mt="xs" role="status" className={classes.contrast} data-enough={contrast?.isEnough}>
        {contrast === null
          ? "A colour is # and six hex digits, as #1A2B3C."
          : `Contrast ${contrast.ratio}:1. ${contrast.isEnough ? "Scanners can tell the colours apart." : "At least 4.5:1 is needed."}`}
      </Text>
    </div>
  );
}
