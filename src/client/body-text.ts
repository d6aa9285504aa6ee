/** The body of a response as text, as much of it as may be an answer of the API. */

/** Twice what a hundred links with all the rules that they may have take. */
const BODY_MAX_BYTES = 16 * 1024 * 1024;

/** What never ends must not fill the memory: the rest of a longer body is not read. */
export async function bodyText(response: Response): Promise<string> {
  // A `fetch` of another make may have other streams.
  if (!(response.body instanceof ReadableStream)) return response.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes <= BODY_MAX_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
