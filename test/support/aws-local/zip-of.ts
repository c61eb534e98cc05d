import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';

/** Returns a zip archive of files; a name that ends in `.sh` is executable, and `link:<target>` is a link. */
export async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(files)) {
    const [, target] = /^link:(.*)$/.exec(text) ?? [];
    const mode = target !== undefined ? 0o120777 : name.endsWith('.sh') ? 0o100755 : 0o100644;
    zip.addBuffer(Buffer.from(target ?? text), name, { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Returns the files of a server that answers each request with a text, behind the web adapter's contract. */
export function serverFiles(text: string): Record<string, string> {
  return {
    'run.sh': '#!/bin/sh\ncd app && exec node server.js\n',
    'app/server.js': `require('node:http').createServer((request, response) => {
      const body = [];
      request.on('data', (chunk) => body.push(chunk)).on('end', () => {
        console.log(request.method, request.url);
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        const answer = () => response.end(${JSON.stringify(text)} + (process.env.SUFFIX ?? '') + Buffer.concat(body));
        if (request.url.startsWith('/slow')) setTimeout(answer, Number(request.url.slice(6)));
        else answer();
      });
    }).listen(process.env.PORT, process.env.HOST);\n`,
  };
}
