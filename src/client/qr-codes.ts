/** QR codes of links. */
import type { CreateQrCode, QrCode, QrCodePage } from "./api-types.ts";
import type { ApiPromise } from "./api-promise.ts";
import { type List, listOf } from "./list.ts";
import type { PostOptions, RequestOptions, Transport } from "./transport.ts";
import type { QrCodesQuery } from "./types.ts";

export class QrCodes {
  readonly #api: Transport;

  constructor(api: Transport) {
    this.#api = api;
  }

  create(body: CreateQrCode, options?: PostOptions): ApiPromise<QrCode> {
    return this.#api.json({ method: "POST", path: ["qr"], body }, options);
  }

  get(id: string, options?: RequestOptions): ApiPromise<QrCode> {
    return this.#api.json({ method: "GET", path: ["qr", id] }, options);
  }

  /** Newest first. */
  list(query: QrCodesQuery = {}, options?: RequestOptions): List<QrCode, QrCodePage> {
    return listOf(this.#api, ["qr"], query, options);
  }

  /** The image itself. */
  image({ url }: Pick<QrCode, "url">, options?: RequestOptions): ApiPromise<ReadableStream<Uint8Array>> {
    return this.#api.file(url, options);
  }
}
