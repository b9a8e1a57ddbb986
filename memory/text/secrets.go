package text

const genericRule = "generic-api-key"

func privateKeys(s string) []secret           { return nil }
func findOwn(w string) []secret               { return nil }
func harmless(rule, match, value string) bool { return false }
