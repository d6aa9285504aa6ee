/** Where Chromium and browsers based on it are installed, by platform. */
import { posix, win32 } from "node:path";

export interface Machine {
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
  isExecutable: (path: string) => boolean;
}

/** The headless shell first: the same engine without a window's parts, so a page costs a quarter less CPU. */
const COMMANDS = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];
/** Searched in addition to PATH, which services and editors often shorten. */
const LINUX_FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];
const MAC_APPLICATIONS = ["Chromium", "Google Chrome", "Microsoft Edge"];
const WINDOWS_PROGRAMS = [
  String.raw`Chromium\Application\chrome.exe`,
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Microsoft\Edge\Application\msedge.exe`,
];

/** @throws when `CHROMIUM` names a file that cannot be run: another browser must not hide that */
export function findChromium(machine: Machine): string | undefined {
  const { CHROMIUM } = machine.env;
  if (!CHROMIUM) return installedAt(machine).find(machine.isExecutable);
  if (machine.isExecutable(CHROMIUM)) return CHROMIUM;
  throw new Error(`CHROMIUM names ${CHROMIUM}, which is not there or cannot be run.`);
}

function installedAt({ platform, env }: Machine): string[] {
  if (platform === "win32") return windowsPrograms(env);
  const folders = (env.PATH ?? "").split(posix.delimiter).filter(Boolean);
  if (platform === "linux") folders.push(...LINUX_FOLDERS);
  const commands = COMMANDS.flatMap((name) => folders.map((folder) => posix.join(folder, name)));
  return platform === "darwin" ? [...macApplications(env), ...commands] : commands;
}

function macApplications({ HOME }: Machine["env"]): string[] {
  const folders = ["/Applications", ...(HOME ? [posix.join(HOME, "Applications")] : [])];
  return MAC_APPLICATIONS.flatMap((name) =>
    folders.map((folder) => posix.join(folder, `${name}.app`, "Contents/MacOS", name)),
  );
}

function windowsPrograms(env: Machine["env"]): string[] {
  const folders = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].filter(
    (folder) => folder !== undefined,
  );
  return WINDOWS_PROGRAMS.flatMap((program) => folders.map((folder) => win32.join(folder, program)));
}
