/** Stand-ins for parts of packages of sign-in in the Worker's bundle (`alias` in wrangler.toml). */
import * as z from "zod";

import { github } from "../../../node_modules/@better-auth/core/dist/social-providers/github.mjs";
import { google } from "../../../node_modules/@better-auth/core/dist/social-providers/google.mjs";
import type { OAuthProvider } from "./oauth-providers.ts";

/** `@better-auth/core/social-providers`: the providers of `oauth-providers.ts` instead of all forty. */
export const socialProviders = { github, google } satisfies Record<OAuthProvider, unknown>;
export const SocialProviderListEnum = z.string();

/** `@better-auth/telemetry`: nothing is ever sent. */
export async function createTelemetry() {
  return { publish: async () => {} };
}

/**
 * `better-auth/db`: the passkey plugin imports one function of it, and the whole would bring zod's error messages in
 * fifty languages, 60 kB of an upload.
 */
export { mergeSchema } from "../../../node_modules/better-auth/dist/db/schema.mjs";

/**
 * `@peculiar/x509` and the ASN.1 packages, which read and check certificates of authenticators: 38 kB of an upload.
 * Passkeys are created without attestation, so an answer with such a certificate is forged, and refused. The packages
 * would download the revocation list that the answer names.
 */
class Certificate {
  constructor() {
    throw new Error("The certificates of authenticators are not checked");
  }
}

export {
  Certificate as AuthorityKeyIdentifierExtension,
  Certificate as BasicConstraints,
  Certificate,
  Certificate as CRLDistributionPointsExtension,
  Certificate as ECParameters,
  Certificate as ExtendedKeyUsage,
  Certificate as KeyDescription,
  Certificate as OctetString,
  Certificate as RSAPublicKey,
  Certificate as SubjectAlternativeName,
  Certificate as SubjectKeyIdentifierExtension,
  Certificate as X509Certificate,
  Certificate as X509ChainBuilder,
  Certificate as X509Crl,
};

/** Object identifiers, compared with those of certificates. */
const NONE = "";
export {
  NONE as id_ce_basicConstraints,
  NONE as id_ce_extKeyUsage,
  NONE as id_ce_keyDescription,
  NONE as id_ce_subjectAltName,
  NONE as id_ecPublicKey,
  NONE as id_rsaEncryption,
  NONE as id_secp256r1,
  NONE as id_secp384r1,
};

/** The two integers of an ECDSA signature, with which a passkey signs in. */
export class ECDSASigValue {
  readonly r: Uint8Array;
  readonly s: Uint8Array;

  /** @param der  `SEQUENCE { r INTEGER, s INTEGER }`, with nothing after it */
  constructor(der: Uint8Array) {
    const body = elementOf(der, 0, SEQUENCE);
    this.r = elementOf(body, 0, INTEGER);
    this.s = elementOf(body, this.r.byteOffset + this.r.length - body.byteOffset, INTEGER);
    const end = this.s.byteOffset + this.s.length;
    if (end !== der.byteOffset + der.length) throw new Error("The signature is not two integers");
  }
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Precedes a length of 128 to 255: that of a signature with P-521. */
const LENGTH_FOLLOWS = 0x81;

/** The content of the element at `start`. */
function elementOf(der: Uint8Array, start: number, tag: number): Uint8Array {
  const isLong = der[start + 1] === LENGTH_FOLLOWS;
  const length = der[start + (isLong ? 2 : 1)] ?? 0;
  const from = start + (isLong ? 3 : 2);
  const isRead = der[start] === tag && length >= 0x80 === isLong && length > 0 && from + length <= der.length;
  if (!isRead) throw new Error("The signature is not in DER");
  return der.subarray(from, from + length);
}

export const AsnParser = {
  parse: <Schema>(der: Uint8Array, schema: new (der: Uint8Array) => Schema): Schema => new schema(der),
};
