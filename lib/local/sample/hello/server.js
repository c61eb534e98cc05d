const { createServer } = require('node:http');

const page = `<!doctype html>
<title>Hello</title>
<h1>Hello from a push</h1>
<p>Change this line in server.js, commit, and push.</p>
`;

createServer((request, response) => {
  console.log(request.method, request.url);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(page);
}).listen(process.env.PORT, process.env.HOST);
