import { describe, expect, it } from 'vitest';
import { explainErrors } from '../../../../../functions/api-documents/errors/explain.ts';
import { errors, problem } from '../../../../../functions/core/errors.ts';

const base = 'https://deploy.example.com';
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

describe('GET /errors', () => {
  it('returns every code as JSON, with status, retry, reason and advice', async () => {
    const { status, headers, body } = explainErrors({ base, headers: {} });
    expect({ status, type: headers?.['content-type'] }).toEqual({ status: 200, type: 'application/json' });
    const explained = JSON.parse(String(body)).errors;
    expect(explained).toEqual(
      Object.entries(errors).map(([code, { status, retry, title }]) => ({
        type: `${base}/errors#${code}`,
        code,
        status,
        retry,
        reason: title,
        advice: expect.stringMatching(/^\S.* .*[.]$/),
      })),
    );
  });

  it('returns a page to browsers, with the anchor that problem documents name', async () => {
    const { headers, body } = explainErrors({ base, headers: html });
    expect(headers?.['content-type']).toBe('text/html; charset=utf-8');
    for (const code of Object.keys(errors)) expect(String(body)).toContain(`<section id="${code}">`);
    const { type } = problem('deploy:tar:unsafe_path', 'A path leads out.', { base, uuid: 'u' });
    expect(type).toBe(`${base}/errors#deploy:tar:unsafe_path`);
  });

  it('escapes the special characters of HTML', async () => {
    const { body } = explainErrors({ base, headers: html });
    expect(String(body)).toContain('POST /1/auth/&lt;host&gt;');
    expect(String(body)).not.toContain('<host>');
  });

  it('varies by the header Accept and is revalidated by ETag', async () => {
    const first = explainErrors({ base, headers: html });
    expect(first.headers).toMatchObject({ vary: 'accept', 'cache-control': 'no-cache' });
    const again = explainErrors({ base, headers: { ...html, 'if-none-match': first.headers?.etag } });
    expect(again).toMatchObject({ status: 304 });
    const other = explainErrors({ base, headers: { 'if-none-match': first.headers?.etag } });
    expect(other.status).toBe(200);
  });
});
