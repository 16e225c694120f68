package firecrawl

import "fmt"

// schema has the kind of value of each member that the official client knows (@mendable/firecrawl-js 4.42, types
// ScrapeOptions, MapOptions, SearchRequest and ActionOption). lang is only in the API.
var schema = map[string]map[string]string{
	"scrapeOptions": {
		"formats": "formats", "headers": "texts by name", "includeTags": "texts", "excludeTags": "texts", "onlyMainContent": "bool", "timeout": "number",
		"waitFor": "number", "parsers": "texts", "actions": "actions", "location": "location", "removeBase64Images": "bool", "blockAds": "bool",
		"proxy": "text", "maxAge": "number", "storeInCache": "bool",
	},
	"map": {
		"url": "text", "search": "text", "sitemap": "text", "includeSubdomains": "bool", "ignoreQueryParameters": "bool", "limit": "number",
		"timeout": "number", "location": "location",
	},
	"search": {
		"query": "text", "sources": "texts", "categories": "texts", "limit": "number", "tbs": "text", "location": "text", "country": "text", "lang": "text",
		"ignoreInvalidURLs": "bool", "timeout": "number", "scrapeOptions": "scrapeOptions",
	},
	"location":          {"country": "text", "languages": "texts"},
	"wait":              {"type": "text", "milliseconds": "number"},
	"screenshot":        {"type": "text", "fullPage": "bool"},
	"click":             {"type": "text", "selector": "text"},
	"write":             {"type": "text", "text": "text"},
	"press":             {"type": "text", "key": "text"},
	"scroll":            {"type": "text", "direction": "text", "selector": "text"},
	"scrape action":     {"type": "text"},
	"executeJavascript": {"type": "text", "script": "text"},
}

// checkBody reports what is wrong with the body of a request: kind is scrape, map or search.
func checkBody(kind string, body map[string]any) error {
	if kind != "scrape" {
		return check(kind, body)
	}
	options := make(map[string]any)
	for name, value := range body {
		if name != "url" {
			options[name] = value
		}
	}
	if err := check("text", body["url"]); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return check("scrapeOptions", options)
}

func check(kind string, value any) error {
	ok := false
	switch kind {
	case "text":
		_, ok = value.(string)
	case "number":
		_, ok = value.(float64)
	case "bool":
		_, ok = value.(bool)
	case "texts", "formats", "actions":
		list, isList := value.([]any)
		for _, item := range list {
			itemKind := "text"
			object, isObject := item.(map[string]any)
			switch {
			case kind == "actions":
				itemKind, _ = object["type"].(string)
				if itemKind == "scrape" {
					itemKind = "scrape action"
				}
			case kind == "formats" && isObject:
				itemKind = object["type"].(string)
			}
			if err := check(itemKind, item); err != nil {
				return err
			}
		}
		ok = isList
	case "texts by name":
		object, isObject := value.(map[string]any)
		for _, item := range object {
			if err := check("text", item); err != nil {
				return err
			}
		}
		ok = isObject
	default:
		object, isObject := value.(map[string]any)
		ok = isObject && schema[kind] != nil
		for name, member := range object {
			if schema[kind][name] == "" {
				return fmt.Errorf("%s has a member %q", kind, name)
			}
			if err := check(schema[kind][name], member); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if !ok {
		return fmt.Errorf("%v is not of the kind %s", value, kind)
	}
	return nil
}
