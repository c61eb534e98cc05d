import { headerOf, type RawHeaders } from './headers.ts';
import type { Head } from './reply.ts';
import { HEADER_BYTES } from './target.ts';

/** Gets an answer while it is read. Bytes are strings of latin1, which Node joins with the head that it sends. */
export interface AnswerTaker {
  /** Called with each head; an answer of 1xx is followed by another one. */
  head(head: Head): void;
  data(bytes: string): void;
  /** Called with the last bytes of the body. */
  end(last: string, trailers: RawHeaders): void;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d{2})(?: ([^\r\n]*))?$/;
const FIELD = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/;
const CHUNK_SIZE = /^([\da-f]{1,13})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;
const LENGTH = /^\d{1,15}$/;
const CHUNKED_LAST = /(?:^|,)[\t ]*chunked$/i;
/** Answers of 1xx before one answer: they are passed on at once, whether its client reads them or not. */
export const MOST_INFORMED = 100;
const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';

/** What is read next; `close`: a body that ends with the connection. */
type Part = 'head' | 'length' | 'close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'nothing';

/**
 * Reads an answer of HTTP/1.1: https://www.rfc-editor.org/rfc/rfc9112. It takes no more than the grammar has, so that nobody
 * can read another answer in the same bytes; each method throws at anything else.
 */
export class AnswerReader {
  #part: Part = 'head';
  /** What has come of a line or a head that is not complete yet. */
  #unread = '';
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  /** The chunks that have come at once: to pass each on costs more than to read it. */
  #chunks = '';
  #informed = 0;
  #isKept = false;
  #keptSeconds: number | undefined;

  constructor(
    private readonly method: string,
    private readonly taker: AnswerTaker,
  ) {}

  get isOver(): boolean {
    return this.#part === 'nothing';
  }

  /** How many seconds the connection is kept by the server after the answer; undefined when it does not say. */
  get keptSeconds(): number | undefined {
    return this.#isKept ? this.#keptSeconds : 0;
  }

  read(bytes: string): void {
    let text = this.#unread === '' ? bytes : this.#unread + bytes;
    this.#unread = '';
    while (text !== '') {
      const rest = this.#next(text);
      if (rest === undefined) {
        if (text.length > HEADER_BYTES) throw new Error('The head of the answer is too long.');
        this.#unread = text;
        break;
      }
      text = rest;
    }
    const chunks = this.#takeChunks();
    if (chunks !== '') this.taker.data(chunks);
  }

  #takeChunks(): string {
    const chunks = this.#chunks;
    this.#chunks = '';
    return chunks;
  }

  /** Says that the connection has ended. */
  end(): void {
    if (this.#part !== 'close') throw new Error('The connection has ended before the answer.');
    this.#finish('');
  }

  /** Reads one part, and returns what is behind it; undefined when the part is not complete. */
  #next(text: string): string | undefined {
    switch (this.#part) {
      case 'head':
        return this.#upTo(HEAD_END, text, (head) => this.#readHead(head));
      case 'length':
        return this.#readLength(text);
      case 'close':
        this.taker.data(text);
        return '';
      case 'chunk size':
        return this.#upTo(LINE_END, text, (line) => this.#readChunkSize(line));
      case 'chunk':
        return this.#readChunk(text);
      case 'chunk end':
        return this.#upTo(LINE_END, text, (line) => this.#readChunkEnd(line));
      case 'trailers':
        return this.#readTrailers(text);
      case 'nothing':
        throw new Error('There is more than the answer.');
    }
  }

  #upTo(end: string, text: string, take: (before: string) => void): string | undefined {
    const at = text.indexOf(end);
    if (at < 0) return undefined;
    if (at > HEADER_BYTES) throw new Error('The head of the answer is too long.');
    take(text.slice(0, at));
    return text.slice(at + end.length);
  }

  #readHead(text: string): void {
    const [line = '', ...lines] = text.split(LINE_END);
    const [, minor, code, reason = ''] = STATUS_LINE.exec(line) ?? [];
    if (code === undefined) throw new Error('The answer has no status line.');
    const status = Number(code);
    const headers = fieldsIn(lines);
    if (status === 101) throw new Error('The server has changed the protocol unasked.');
    if (status < 200) this.#informed += 1;
    if (this.#informed > MOST_INFORMED) throw new Error('Too many answers of 1xx come before the answer.');
    this.taker.head({ status, reason, headers });
    if (status < 200) return;
    this.#frame(status, headers);
    const connection = headerOf(headers, 'connection');
    this.#isKept = minor === '1' && this.#part !== 'close' && !/(?:^|[\t ,])close(?:$|[\t ,])/i.test(connection ?? '');
    const [, seconds] = /\btimeout=(\d{1,9})\b/i.exec(headerOf(headers, 'keep-alive') ?? '') ?? [];
    this.#keptSeconds = seconds === undefined ? undefined : Number(seconds);
    if (this.#part === 'length' && this.#left === 0) this.#finish('');
  }

  /** https://www.rfc-editor.org/rfc/rfc9112#section-6.3 */
  #frame(status: number, headers: RawHeaders): void {
    const coding = headerOf(headers, 'transfer-encoding');
    const length = headerOf(headers, 'content-length');
    this.#left = 0;
    this.#part = 'length';
    if (this.method === 'HEAD' || status === 204 || status === 304) return;
    if (coding !== undefined && length !== undefined) throw new Error('The answer has two lengths.');
    if (coding !== undefined) this.#part = CHUNKED_LAST.test(coding) ? 'chunk size' : 'close';
    else if (length === undefined) this.#part = 'close';
    else if (LENGTH.test(length)) this.#left = Number(length);
    else throw new Error('The answer has no valid length.');
  }

  #readLength(text: string): string {
    if (text.length < this.#left) {
      this.#left -= text.length;
      this.taker.data(text);
      return '';
    }
    const rest = text.slice(this.#left);
    this.#finish(rest === '' ? text : text.slice(0, this.#left));
    return rest;
  }

  #readChunkSize(line: string): void {
    const [, size] = CHUNK_SIZE.exec(line) ?? [];
    if (size === undefined) throw new Error('A chunk of the answer has no valid length.');
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailers' : 'chunk';
  }

  #readChunk(text: string): string {
    const chunk = text.slice(0, this.#left);
    this.#left -= chunk.length;
    if (this.#left === 0) this.#part = 'chunk end';
    this.#chunks += chunk;
    return text.slice(chunk.length);
  }

  #readChunkEnd(line: string): void {
    if (line !== '') throw new Error('A chunk of the answer is longer than it says.');
    this.#part = 'chunk size';
  }

  #readTrailers(text: string): string | undefined {
    if (text.startsWith(LINE_END)) {
      this.#finish('');
      return text.slice(LINE_END.length);
    }
    return this.#upTo(HEAD_END, text, (lines) => this.#finish('', fieldsIn(lines.split(LINE_END))));
  }

  #finish(last: string, trailers: RawHeaders = []): void {
    this.#part = 'nothing';
    this.taker.end(this.#takeChunks() + last, trailers);
  }
}

function fieldsIn(lines: readonly string[]): string[] {
  const fields: string[] = [];
  for (const line of lines) {
    if (!FIELD.test(line)) throw new Error('The answer has a header that is none.');
    const colon = line.indexOf(':');
    fields.push(line.slice(0, colon), withoutBlanks(line, colon + 1));
  }
  return fields;
}

/** Returns the rest of a line without spaces and tabs around it; `trim` removes more. */
function withoutBlanks(line: string, start: number): string {
  let from = start;
  let end = line.length;
  while (isBlank(line.charCodeAt(from))) from += 1;
  while (end > from && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(from, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
