/** The part of qrcode-svg that is used: the creation of the matrix. */
declare module "qrcode-svg" {
  export default class QRCode {
    constructor(options: { content: string; ecl: "L" | "M" | "Q" | "H" });
    readonly qrcode: {
      getModuleCount(): number;
      isDark(row: number, column: number): boolean;
    };
  }
}
