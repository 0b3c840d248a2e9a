@org.jspecify.annotations.NullMarked
package dev.nightjar.verify;
