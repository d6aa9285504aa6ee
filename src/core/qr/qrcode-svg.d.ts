/** The part of qrcode-svg that is used: it makes the matrix and nothing else. */
declare module "qrcode-svg" {
  export default class QRCode {
    constructor(options: { content: string; ecl: "L" | "M" | "Q" | "H" });
    readonly qrcode: {
      getModuleCount(): number;
      isDark(row: number, column: number): boolean;
    };
  }
}
