/** The icons: of Tabler's set, from which the build takes those that are named here (`src/cli/vite-plugins.ts`). */
import set from "@iconify-json/tabler/icons.json";
import type { SVGProps } from "react";

export interface IconProps extends SVGProps<SVGSVGElement> {
  /** Of each side, px. */
  size?: number;
}

function icon(name: keyof typeof set.icons) {
  const drawing = { __html: set.icons[name].body };
  return function Icon({ size = 24, ...attributes }: IconProps) {
    return (
      <svg
        {...attributes}
        width={size}
        height={size}
        viewBox="0 0 24 24"
        data-icon={name}
        dangerouslySetInnerHTML={drawing}
      />
    );
  };
}

export const IconAdjustmentsHorizontal = icon("adjustments-horizontal");
export const IconAlertTriangle = icon("alert-triangle");
export const IconArrowBackUp = icon("arrow-back-up");
export const IconArrowDown = icon("arrow-down");
export const IconArrowLeft = icon("arrow-left");
export const IconArrowRight = icon("arrow-right");
export const IconArrowUp = icon("arrow-up");
export const IconArrowsSplit2 = icon("arrows-split-2");
export const IconBook = icon("book");
export const IconBrandAndroid = icon("brand-android");
export const IconBrandApple = icon("brand-apple");
export const IconBrandChrome = icon("brand-chrome");
export const IconBrandEdge = icon("brand-edge");
export const IconBrandFirefox = icon("brand-firefox");
export const IconBrandGithub = icon("brand-github");
export const IconBrandGoogle = icon("brand-google");
export const IconBrandOpera = icon("brand-opera");
export const IconBrandSafari = icon("brand-safari");
export const IconBrandUbuntu = icon("brand-ubuntu");
export const IconBrandWindows = icon("brand-windows");
export const IconChartBar = icon("chart-bar");
export const IconCheck = icon("check");
export const IconChevronDown = icon("chevron-down");
export const IconChevronRight = icon("chevron-right");
export const IconCircle = icon("circle");
export const IconCircleCheck = icon("circle-check");
export const IconCircleCheckFilled = icon("circle-check-filled");
export const IconCircleX = icon("circle-x");
export const IconClockX = icon("clock-x");
export const IconCopy = icon("copy");
export const IconCopyPlus = icon("copy-plus");
export const IconDeviceDesktop = icon("device-desktop");
export const IconDeviceMobile = icon("device-mobile");
export const IconDeviceTablet = icon("device-tablet");
export const IconDeviceTv = icon("device-tv");
export const IconDots = icon("dots");
export const IconDownload = icon("download");
export const IconExternalLink = icon("external-link");
export const IconFileImport = icon("file-import");
export const IconFileUpload = icon("file-upload");
export const IconFilterOff = icon("filter-off");
export const IconFingerprint = icon("fingerprint");
export const IconFlask = icon("flask");
export const IconGauge = icon("gauge");
export const IconGripVertical = icon("grip-vertical");
export const IconHistory = icon("history");
export const IconKey = icon("key");
export const IconLink = icon("link");
export const IconLinkOff = icon("link-off");
export const IconLock = icon("lock");
export const IconLogout = icon("logout");
export const IconMapQuestion = icon("map-question");
export const IconPencil = icon("pencil");
export const IconPlayerPause = icon("player-pause");
export const IconPlayerPlay = icon("player-play");
export const IconPlus = icon("plus");
export const IconQrcode = icon("qrcode");
export const IconRefresh = icon("refresh");
export const IconSearch = icon("search");
export const IconSearchOff = icon("search-off");
export const IconSettings = icon("settings");
export const IconTableImport = icon("table-import");
export const IconTag = icon("tag");
export const IconTrash = icon("trash");
export const IconUserCircle = icon("user-circle");
export const IconWifiOff = icon("wifi-off");
export const IconWorld = icon("world");
export const IconX = icon("x");
