/** Mantine's theme. Texts keep a contrast of 4.5:1 in both colour schemes, which Mantine's defaults do not. */
import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

const brand: MantineColorsTuple = [
  "#ecf3ff",
  "#d8e5fd",
  "#b0c9f8",
  "#86abf4",
  "#6392f0",
  "#4b80ee",
  "#2368dd",
  "#0b57d0",
  "#0549b3",
  "#003d99",
];

/** In the `light` variant, coloured text on its tinted background fails the contrast: mixes in the text colour. */
const readableVariantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === "light"
    ? { ...colors, color: `color-mix(in srgb, ${colors.color} 55%, var(--mantine-color-text))` }
    : colors;
};

export const theme = createTheme({
  colors: { brand },
  primaryColor: "brand",
  primaryShade: 7,
  autoContrast: true,
  variantColorResolver: readableVariantColors,
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Beside a wide sibling, Mantine shrinks a button until its label is cut off.
    Button: { styles: { root: { flexShrink: 0 } } },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    // The placeholder is not allowed as a child of role=menu (axe); the first item takes the focus instead.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Mantine dims the description below a title to less than the contrast required.
    Notification: { styles: { description: { color: "var(--mantine-color-text)" } } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide what is typed", tabIndex: 0 } },
    },
  },
});

export const cssVariablesResolver: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": theme.colors.gray[7],
    "--mantine-color-placeholder": theme.colors.gray[7],
    "--mantine-color-error": theme.colors.red[9],
    "--mantine-color-anchor": theme.colors.brand?.[7] ?? "",
  },
  dark: {
    "--mantine-color-dimmed": theme.colors.dark[1],
    "--mantine-color-placeholder": theme.colors.dark[1],
    "--mantine-color-error": theme.colors.red[4],
    "--mantine-color-anchor": theme.colors.brand?.[3] ?? "",
  },
});
