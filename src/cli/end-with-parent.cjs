/** In wrangler: a killed process forwards no signal, so its children exit when they get another parent. */
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(-process.pid), 500).unref();
