export default {
  // The agent starts a thread from a file of its own, which a bundle would lack.
  serverExternalPackages: ['loopwatch'],
  // Keeps the function names and lines of the source in records.
  experimental: { serverMinification: false, serverSourceMaps: true }
}
