'use strict'

/**
 * Ties this process to the demo that started it, if one did. A terminal sends Ctrl-C to all of
 * them, and only the demo knows the order in which to end; and a demo that was killed must not
 * leave its children behind.
 * @returns {{ release: () => void }}
 */
exports.followParent = () => {
  if (process.send === undefined) return { release: () => {} }
  process.on('SIGINT', () => {})
  const orphaned = () => process.exit()
  process.on('disconnect', orphaned)
  return {
    release: () => {
      process.off('disconnect', orphaned)
      if (process.connected) process.disconnect()
    }
  }
}
